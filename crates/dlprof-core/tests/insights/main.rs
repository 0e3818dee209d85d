//! Figures of single kernels, ops and GPUs against reference values, which lie beside the project and are not part of it.

mod captures;
mod drawn;
mod flop;
mod invariants;
mod kernels;
mod loose_work;
mod occupancy;
mod peaks;
mod reference;
mod tables;
