//! Tables that describe the machine, the software and the run.

use super::checked::Checked;
use super::source::Source;
use super::table_names::{GPU_MEMORIES, GPUS, MODEL_CONFIG, SYSTEM};
use crate::base::Error;
use crate::read::facts::{Device, DlprofNotes, ModelConfig, RecordedSystem};

/// What these tables say.
#[derive(Default)]
pub(super) struct Machine {
    pub(super) system: RecordedSystem,
    pub(super) devices: Vec<Device>,
    pub(super) model_config: ModelConfig,
    /// Only what these tables say.
    pub(super) notes: DlprofNotes,
}

pub(super) fn read(source: &Source<'_>) -> Result<Machine, Error> {
    let mut machine = Machine { devices: read_gpus(source)?, ..Machine::default() };
    machine.system.gpu_count = machine.devices.len();
    machine.system.gpu_names = RecordedSystem::names_of(&machine.devices);
    read_system(source, &mut machine)?;
    machine.notes.gpu_memories = read_gpu_memories(source)?;
    machine.model_config = read_model_config(source)?;
    Ok(machine)
}

fn read_gpus(source: &Source<'_>) -> Result<Vec<Device>, Error> {
    let columns =
        ["device_id", "gpu_name", "compute_capability_major", "compute_capability_minor", "sm_count"];
    let mut devices: Vec<Device> = Vec::new();
    let mut checked = Checked::default();
    source.database.read(GPUS, &columns, |row| {
        checked.next_row();
        let number = |column| row.plain_int(column).flatten();
        let device_id = checked.count::<u32>(row, 0).into();
        if devices.iter().any(|device| device.device_id == device_id) {
            checked.note(|| format!("GPU {device_id} occurs again"));
        }
        devices.push(Device {
            device_id,
            name: row.text(1).filter(|name| !name.trim().is_empty()),
            compute_capability: number(2)
                .filter(|&major| major > 0)
                .map(|major| (major, number(3).unwrap_or(0))),
            sm_count: number(4).filter(|&count| count > 0),
            ..Device::default()
        });
    })?;
    checked.finish(source.database, GPUS)?;
    Ok(devices)
}

fn read_system(source: &Source<'_>, machine: &mut Machine) -> Result<(), Error> {
    const COLUMNS: [&str; 13] = [
        "num_gpus",
        "cpu_model",
        "driver_version",
        "framework",
        "cuda_version",
        "cudnn_version",
        "nsys_version",
        "dlprof_version",
        "dlprof_build",
        "profile_name",
        "mode_enum",
        "mode_string",
        "original_command",
    ];
    let Machine { system, notes, .. } = machine;
    source.database.read(SYSTEM, &COLUMNS, |row| {
        let known = |column| row.text(column).filter(|text| !text.is_empty());
        let text = |column| row.text(column).unwrap_or_default();
        system.gpu_count = known(0).and_then(|count| count.trim().parse().ok()).unwrap_or(system.gpu_count);
        system.cpu_model = known(1);
        system.driver_version = known(2);
        system.framework = known(3);
        system.cuda_version = known(4);
        system.cudnn_version = known(5);
        system.nsys_version = known(6);
        [notes.dlprof_version, notes.dlprof_build, notes.profile_name] = [7, 8, 9].map(text);
        notes.mode_enum = row.plain_int(10).flatten().unwrap_or(0);
        [notes.mode_string, notes.original_command] = [11, 12].map(text);
    })
}

fn read_gpu_memories(source: &Source<'_>) -> Result<Vec<[i64; 2]>, Error> {
    let mut memories = Vec::new();
    let mut checked = Checked::default();
    source.database.read(GPU_MEMORIES, &["total", "used"], |row| {
        checked.next_row();
        memories.push([0, 1].map(|column| checked.int(row, column)));
    })?;
    checked.finish(source.database, GPU_MEMORIES)?;
    Ok(memories)
}

fn read_model_config(source: &Source<'_>) -> Result<ModelConfig, Error> {
    const COLUMNS: [&str; 10] = [
        "num_workers",
        "pin_memory",
        "cudnn_benchmark_disabled",
        "detect_anomaly",
        "gradcheck",
        "gradgradcheck",
        "autograd_profile",
        "autograd_set_detect_anomaly",
        "emit_nvtx",
        "amp_enabled",
    ];
    let mut config = ModelConfig::default();
    source.database.read(MODEL_CONFIG, &COLUMNS, |row| {
        let usual = ModelConfig::default();
        let number = |column| row.plain_int(column).flatten();
        let flag = |column| number(column).is_some_and(|flag| flag != 0);
        config = ModelConfig {
            num_workers: number(0).unwrap_or(usual.num_workers),
            pin_memory: number(1).map_or(usual.pin_memory, |flag| flag != 0),
            cudnn_benchmark_disabled: flag(2),
            detect_anomaly: flag(3),
            gradcheck: flag(4),
            gradgradcheck: flag(5),
            autograd_profile: flag(6),
            autograd_set_detect_anomaly: flag(7),
            emit_nvtx: flag(8),
            amp_enabled: flag(9),
        };
    })?;
    Ok(config)
}
