-- 60,000 launches inside ranges of three kinds, in 600 steps: enough that columns do not fit a small memory.
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm'), (3, 'relu'), (4, 'reduce');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME
    (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL
    (start INTEGER, end INTEGER, deviceId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER,
     shortName INTEGER, gridX INTEGER);
CREATE TABLE NVTX_EVENTS
    (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER);
WITH RECURSIVE launch(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM launch WHERE n < 59999)
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT n * 1000 + 100, n * 1000 + 200, 281474993487873, n, 1 FROM launch;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    SELECT start + 300, start + 700 + correlationId % 37, correlationId % 2, correlationId, 281474993487872,
           2 + correlationId % 3, 2 + correlationId % 3, 1 + correlationId % 5
    FROM CUPTI_ACTIVITY_KIND_RUNTIME;
INSERT INTO NVTX_EVENTS
    SELECT start - 50, start + 150, 59, 'layer ' || (correlationId % 3), 281474993487873, 0
    FROM CUPTI_ACTIVITY_KIND_RUNTIME;
INSERT INTO NVTX_EVENTS
    SELECT start - 80, start + 99900, 59, 'train step', 281474993487873, 0
    FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId % 100 = 0;
