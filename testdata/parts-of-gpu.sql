-- Kernels of the whole GPU, of a green context and of a process that has a part of a GPU; a GPU of which only the name is known, and
-- an adapter of another maker.
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm');
CREATE TABLE TARGET_INFO_GPU
    (id INTEGER, name TEXT, cuDevice INTEGER, computeMajor INTEGER, computeMinor INTEGER, smCount INTEGER,
     maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER,
     maxShmemPerBlockOptin INTEGER, maxRegistersPerBlock INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES
    (0, 'NVIDIA H100', 0, 9, 0, 132, 64, 32, 233472, 65536, 232448, 65536),
    (1, 'NVIDIA of a later driver', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (2, 'Other graphics', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT, numMultiprocessors INTEGER);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 1, '', 132), (0, 0, 2, '', 16);
CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO
    (processId INTEGER, deviceId INTEGER, contextId INTEGER, parentContextId INTEGER, isGreenContext INTEGER,
     numMultiprocessors INTEGER);
INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (1, 0, 1, NULL, 0, NULL), (1, 0, 3, 1, 1, 32), (2, 0, 1, NULL, 0, NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME
    (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 110, 16777217, 5, 1), (200, 210, 16777217, 6, 1), (300, 310, 33554434, 5, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL
    (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, greenContextId INTEGER, streamId INTEGER,
     correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER,
     gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER,
     staticSharedMemory INTEGER, dynamicSharedMemory INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (120, 130, 0, 1, NULL, 7, 5, 16777216, 2, 2, 64, 1, 1, 1024, 1, 1, 32, 0, 0),
    (220, 230, 0, 1, 3, 30, 6, 16777216, 2, 2, 64, 1, 1, 1024, 1, 1, 32, 0, 0),
    (320, 330, 0, 1, NULL, 7, 5, 33554432, 2, 2, 64, 1, 1, 1024, 1, 1, 32, 0, 0);
