//! The machine, the software, the run and the version.

use super::dictionary::Dictionary;
use super::insert::Insert;
use super::{DOMAIN, lookups};
use dlprof_core::Profile;
use rusqlite::{Connection, params};

/// The version of the schema, and the version and build of DLProf that wrote it.
const SCHEMA_VERSION: &str = "1.8.0";
const DLPROF_VERSION: &str = "v1.8.0";
const DLPROF_BUILD: &str = "29839685";

/// The name of the domain that every capture has.
const DEFAULT_DOMAIN: &str = "default-domain";

pub(super) fn write(
    connection: &Connection,
    profile: &Profile,
    profile_name: &str,
    dictionary: &mut Dictionary<'_>,
) -> rusqlite::Result<()> {
    let notes = profile.capture.description.dlprof.as_ref();
    let domain = notes.map_or(DEFAULT_DOMAIN, |notes| notes.domain.as_str());
    Insert::into(connection, "read_only_domains", &["domain_name_id"])?.add([dictionary.id(domain)?])?;
    write_gpus(connection, profile)?;
    write_system(connection, profile, profile_name)?;
    Insert::into(connection, "db_version", &["current_version", "original_version"])?
        .add([SCHEMA_VERSION, notes.map_or(SCHEMA_VERSION, |notes| notes.original_version.as_str())])?;
    write_model_config(connection, profile)?;
    Insert::into(connection, "read_only_model_info", &["domain_id", "domain_name", "profile_name"])?
        .add(params![DOMAIN, domain, profile_name])?;
    Ok(())
}

fn write_gpus(connection: &Connection, profile: &Profile) -> rusqlite::Result<()> {
    let columns =
        ["device_id", "gpu_name", "compute_capability_major", "compute_capability_minor", "sm_count"];
    let mut infos = Insert::into(connection, "read_only_gpu_infos", &columns)?;
    let devices = &profile.capture.devices;
    for (device, number) in devices.iter().zip(lookups::device_numbers(&profile.capture)) {
        let (major, minor) = device.compute_capability.unwrap_or_default();
        let name = device.name.as_deref().unwrap_or_default();
        infos.add(params![number, name, major, minor, device.sm_count.unwrap_or(0)])?;
    }
    let mut memories = Insert::into(connection, "gpu_memories", &["total", "used"])?;
    match &profile.capture.description.dlprof {
        Some(notes) => notes.gpu_memories.iter().try_for_each(|row| memories.add(*row).map(drop)),
        // Only DLProf samples memory, while it profiles.
        None => devices.iter().try_for_each(|_| memories.add([0, 0]).map(drop)),
    }
}

fn write_system(connection: &Connection, profile: &Profile, profile_name: &str) -> rusqlite::Result<()> {
    let columns = [
        "is_valid",
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
    let capture = &profile.capture;
    let system = &capture.system;
    let known = |text: &Option<String>| text.clone().unwrap_or_default();
    let (number, word) = capture.description.mode.as_dlprof();
    let (number, word, command, version, build) = match &capture.description.dlprof {
        Some(notes) => (
            notes.mode_enum,
            notes.mode_string.as_str(),
            notes.original_command.clone(),
            notes.dlprof_version.as_str(),
            notes.dlprof_build.as_str(),
        ),
        None => (number, word, capture.description.mode.command_in_databases(), DLPROF_VERSION, DLPROF_BUILD),
    };
    Insert::into(connection, "read_only_system_config", &columns)?.add(params![
        1,
        system.gpu_count.to_string(),
        known(&system.cpu_model),
        known(&system.driver_version),
        known(&system.framework),
        known(&system.cuda_version),
        known(&system.cudnn_version),
        known(&system.nsys_version),
        version,
        build,
        profile_name,
        number,
        word,
        command,
    ])?;
    Ok(())
}

fn write_model_config(connection: &Connection, profile: &Profile) -> rusqlite::Result<()> {
    let columns = [
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
    let config = &profile.capture.description.model_config;
    Insert::into(connection, "read_only_model_config", &columns)?.add(params![
        config.num_workers,
        config.pin_memory,
        config.cudnn_benchmark_disabled,
        config.detect_anomaly,
        config.gradcheck,
        config.gradgradcheck,
        config.autograd_profile,
        config.autograd_set_detect_anomaly,
        config.emit_nvtx,
        config.amp_enabled,
    ])?;
    Ok(())
}
