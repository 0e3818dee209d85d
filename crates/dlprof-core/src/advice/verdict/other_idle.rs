//! Idle time that counts to no class that names it: what is known of it all the same.

use crate::advice::scene::Scene;
use crate::advice::unexplained::Unexplained;
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::figures::activity::{StepClass, StepClasses};

/// Causes that say that nothing is known.
pub(super) const SILENT: [Cause; 2] = [Cause::Unknown, Cause::NoApiCall];

/// The cause of the class `other` with most time, if that is no less than what nothing tells about.
pub(super) fn most_named(scene: &Scene<'_>) -> Option<Cause> {
    let named = StepClass::Other.causes().filter(|cause| !SILENT.contains(cause));
    let largest = named.rev().max_by_key(|&cause| scene.lasting_idle(cause))?;
    let silent_ns: Ns = SILENT.iter().map(|&cause| scene.lasting_idle(cause)).sum();
    (scene.lasting_idle(largest) >= silent_ns).then_some(largest)
}

/// The cause of the class `other` with most time, whether or not it says why; none where all of it is for work that is done once.
pub(super) fn largest_lasting(scene: &Scene<'_>) -> Option<Cause> {
    let lasting = StepClass::Other.causes().rev().filter(|&cause| scene.lasting_idle(cause) > 0);
    lasting.max_by_key(|&cause| scene.lasting_idle(cause))
}

/// Whether most of the class `other` is time before work without an API call.
pub(super) fn is_before_other_work(scene: &Scene<'_>) -> bool {
    most_named(scene).is_none() && scene.lasting_idle(Cause::NoApiCall) > scene.lasting_idle(Cause::Unknown)
}

/// Whether it is time before unified memory migrates to the host.
pub(super) fn is_mostly_before_host_memory(scene: &Scene<'_>) -> bool {
    is_before_other_work(scene) && scene.waits_for_host_memory()
}

/// What else tells of idle time that is mostly time that no call or range explains; `None` of other time.
pub(super) fn unnamed(scene: &Scene<'_>) -> Option<Unexplained> {
    (most_named(scene).is_none() && !is_before_other_work(scene)).then(|| scene.unexplained())
}

/// Whether most of the class `other` is known to be for work that is done once.
pub(super) fn is_mostly_once(scene: &Scene<'_>, classes: &StepClasses) -> bool {
    let once_ns: Ns = StepClass::Other.causes().map(|cause| scene.once().of(cause)).sum();
    2 * scene.per_gpu(once_ns) > classes.other_ns
}
