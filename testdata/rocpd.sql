-- A database of rocprofv3 (schema 3.0.2): six steps of a process on one GPU of two, with an operator, a copy, a wait and a kernel of
-- a collective in each. HSA was traced as well, so that kernels name the call of HSA inside that of HIP.
CREATE TABLE rocpd_metadata_a1 (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
INSERT INTO rocpd_metadata_a1 VALUES (1, 'schema_version', '3.0.2');
CREATE TABLE rocpd_string_a1 (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
INSERT INTO rocpd_string_a1 (id, string) VALUES
    (1, 'HIP_RUNTIME_API'), (2, 'HSA_CORE_API'), (3, 'MARKER_CORE_RANGE_API'), (4, 'KERNEL_DISPATCH'), (5, 'MEMORY_COPY'),
    (11, 'hipLaunchKernel'), (12, 'hsa_queue_load_write_index'), (13, 'roctxThreadRangeA'), (14, 'hipMemcpyWithStream'),
    (15, 'hipDeviceSynchronize'), (16, 'MEMORY_COPY_HOST_TO_DEVICE'), (17, '');
CREATE TABLE rocpd_info_process_a1
    (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, command TEXT, environment JSONB);
INSERT INTO rocpd_info_process_a1 VALUES
    (4242, 'a1', 7, 1, 4242, '/usr/bin/python train.py', '{"HF_TOKEN": "planted-secret-value"}');
CREATE TABLE rocpd_info_thread_a1 (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, name TEXT);
INSERT INTO rocpd_info_thread_a1 VALUES (1, 7, 4242, 4243, 'main');
CREATE TABLE rocpd_info_agent_a1
    (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER, type_index INTEGER, name TEXT,
     product_name TEXT, extdata JSONB);
INSERT INTO rocpd_info_agent_a1 VALUES
    (1, 7, 4242, 'CPU', 0, 0, 'AMD EPYC', 'AMD EPYC', '{}'),
    (2, 7, 4242, 'GPU', 1, 0, 'gfx942', 'AMD Instinct MI300X',
     '{"cu_count": 304, "simd_per_cu": 4, "max_waves_per_simd": 8, "max_waves_per_cu": 32, "wave_front_size": 64, "lds_size_in_kb": 64, "max_engine_clk_fcompute": 2100}'),
    (3, 7, 4242, 'GPU', 2, 1, 'gfx942', 'AMD Instinct MI300X', '{"cu_count": 304, "wave_front_size": 64}');
CREATE TABLE rocpd_info_kernel_symbol_a1
    (id INTEGER PRIMARY KEY, pid INTEGER, kernel_name TEXT, display_name TEXT, group_segment_size INTEGER,
     arch_vgpr_count INTEGER, accum_vgpr_count INTEGER, extdata JSONB);
INSERT INTO rocpd_info_kernel_symbol_a1 VALUES
    (1, 4242, 'Cijk_Ailk_Bljk_BBS_MT128x128x64_MI16x16x1.kd', 'Cijk_Ailk_Bljk_BBS_MT128x128x64_MI16x16x1', 32768, 128, 128, '{}'),
    (2, 4242, 'relu.kd', 'at::native::relu',
     0, 24, 0, '{"demangled_kernel_name": "void at::native::relu<float>(float*, int)"}'),
    (3, 4242, 'nccl.kd', 'ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)', 0, 64, 0, '{}');
CREATE TABLE rocpd_event_a1
    (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER,
     extdata JSONB DEFAULT '{}');
CREATE TABLE rocpd_region_a1
    (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch_a1
    (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER,
     queue_id INTEGER, stream_id INTEGER, start INTEGER, end INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER,
     workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER,
     region_name_id INTEGER, event_id INTEGER, graph_exec_id INTEGER);
CREATE TABLE rocpd_memory_copy_a1
    (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, name_id INTEGER,
     dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
CREATE TABLE steps (step INTEGER, at INTEGER);
INSERT INTO steps WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 5)
    SELECT i, 8306017000000000 + i * 2000000 FROM n;
-- Of each step: number of the event, category, stack, stack of the call around it, text.
INSERT INTO rocpd_event_a1
    SELECT step * 20 + e.column1, e.column2, 9000000000 + step * 20 + e.column3, 9000000000 + step * 20 + e.column4, 0,
        iif(e.column2 = 3, json_object('message', replace(e.column5, 'N', step)), '{}')
    FROM steps, (VALUES
        (1, 3, 1, 1, 'train_step'), (2, 1, 2, 2, ''), (3, 5, 2, 2, ''),
        (4, 3, 4, 4, 'aten::linear, seq = N, op_id = N, sizes = [[64, 1024], [1024, 1024]]'), (5, 1, 5, 5, ''), (6, 2, 6, 5, ''),
        (7, 4, 6, 6, ''), (8, 3, 8, 8, 'aten::relu, seq = N, op_id = N, sizes = [[64, 1024]]'), (9, 1, 9, 9, ''),
        (10, 4, 9, 9, ''), (11, 1, 11, 11, ''), (12, 4, 11, 11, ''), (13, 1, 13, 13, '')) AS e;
INSERT INTO rocpd_region_a1
    SELECT step * 20 + r.column1, 7, 4242, 1, at + r.column2, at + r.column3, r.column4, step * 20 + r.column1
    FROM steps, (VALUES
        (1, 0, 1900000, 13), (2, 10000, 60000, 14), (4, 100000, 200000, 13), (5, 120000, 150000, 11), (6, 130000, 140000, 12),
        (8, 210000, 260000, 13), (9, 220000, 240000, 11), (11, 300000, 320000, 11), (13, 400000, 1800000, 15)) AS r;
INSERT INTO rocpd_kernel_dispatch_a1
    SELECT step * 20 + k.column1, 7, 4242, 1, 2, k.column2, step * 20 + k.column1, 1, k.column3, at + k.column4, at + k.column5,
        k.column6, 256, 1, 1, k.column7, 1, 1, 17, step * 20 + k.column1, 0
    FROM steps, (VALUES
        (7, 1, 0, 180000, 980000, 49152, 77824), (10, 2, 0, 980000, 1080000, 0, 1000), (12, 3, 1, 1080000, 1780000, 0, 6144)) AS k;
INSERT INTO rocpd_memory_copy_a1
    SELECT step + 1, 7, 4242, 1, at + 20000, at + 55000, 16, 2, 1, 262144, NULL, 0, step * 20 + 3 FROM steps;
DROP TABLE steps;
