//! Charts as SVG. If the pointer is on a part, the browser shows what the part is.

use super::super::figures::{self, Bar, CLASS_COLORS, Part, ticks};
use super::escaped;
use crate::display::{TimeUnit, percentage, time};
use dlprof_core::index::Resources;
use dlprof_core::profile::Profile;
use dlprof_core::ratios::{count_to_f64, percent, to_f64};
use std::io::{self, Write};

/// Maximum number of bars of the chart of iterations.
const MOST_BARS: usize = 300;

/// Edges of the area of iterations, in the units of its drawing.
const LEFT: f64 = 70.0;
const WIDTH: f64 = 1000.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 190.0;

pub(super) fn write(profile: &Profile, unit: TimeUnit, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section class=\"charts\">")?;
    let (of_what, parts) = figures::resource_usage(profile);
    write_doughnut(["Resource usage", &of_what], &parts, unit, out)?;
    let kernels = figures::kernel_time(profile);
    write_doughnut(["Kernel GPU time", "sum of all launches"], &kernels, unit, out)?;
    let gpus = figures::gpu_utilization(profile);
    if !gpus.is_empty() {
        write_utilization(&gpus, out)?;
    }
    writeln!(out, "</section>")?;
    let bars = figures::iterations(profile, MOST_BARS);
    if bars.is_empty() { Ok(()) } else { write_iterations(&bars, unit, out) }
}

fn write_doughnut(titles: [&str; 2], parts: &[Part], unit: TimeUnit, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<figure><h3>{} <small>{}</small></h3>", escaped(titles[0]), escaped(titles[1]))?;
    writeln!(
        out,
        "<div class=\"ring\"><svg viewBox=\"0 0 100 100\" width=\"130\" height=\"130\" role=\"img\" aria-label=\"{}\">\
         <circle class=\"track\" cx=\"50\" cy=\"50\" r=\"38\"/>",
        escaped(titles[0])
    )?;
    let total: i64 = parts.iter().map(|part| part.ns).sum();
    let mut from = 0.0;
    for part in parts.iter().filter(|part| part.ns > 0) {
        let share = percent(part.ns, total);
        writeln!(
            out,
            "<circle cx=\"50\" cy=\"50\" r=\"38\" pathLength=\"100\" stroke=\"{}\" \
             stroke-dasharray=\"{share:.4} {:.4}\" stroke-dashoffset=\"{:.4}\"><title>{}: {}, {}</title></circle>",
            css(part.color),
            100.0 - share,
            -from,
            part.name,
            time(to_f64(part.ns), unit),
            percentage(share)
        )?;
        from += share;
    }
    writeln!(out, "</svg><table class=\"legend\"><tbody>")?;
    for part in parts {
        writeln!(
            out,
            "<tr><td><i style=\"background:{}\"></i>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            css(part.color),
            part.name,
            time(to_f64(part.ns), unit),
            percentage(percent(part.ns, total))
        )?;
    }
    writeln!(out, "</tbody></table></div></figure>")
}

fn write_utilization(gpus: &[(String, f64)], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<figure><h3>GPU utilization <small>time with a kernel running</small></h3>")?;
    writeln!(out, "<table class=\"legend\"><tbody>")?;
    for (name, share) in gpus {
        writeln!(
            out,
            "<tr><td>{}</td><td><svg viewBox=\"0 0 100 10\" width=\"150\" height=\"10\" preserveAspectRatio=\"none\">\
             <rect class=\"track\" width=\"100\" height=\"10\"/><rect width=\"{share:.3}\" height=\"10\" fill=\"{}\"/></svg></td>\
             <td class=\"n\">{}</td></tr>",
            escaped(name),
            css(figures::NON_TC),
            percentage(*share)
        )?;
    }
    writeln!(out, "</tbody></table></figure>")
}

fn write_iterations(bars: &[Bar], unit: TimeUnit, out: &mut dyn Write) -> io::Result<()> {
    let per_bar = bars[0].last - bars[0].first + 1;
    let note = if per_bar == 1 { String::new() } else { format!("each bar is the average of {per_bar}; ") };
    let full = figures::full_scale_ns(bars);
    let longer = bars.iter().filter(|bar| bar.total_ns() > full * 1.000_001).count();
    let longest = bars.iter().map(Bar::total_ns).fold(0.0, f64::max);
    let beyond = match longer {
        0 => String::new(),
        longer => format!("; chart cut: {longer} longer bars, the longest {}", time(longest, unit)),
    };
    writeln!(
        out,
        "<figure class=\"wide\"><h3>Iterations <small>duration by class; {note}a line marks aggregated iterations{beyond}</small></h3>"
    )?;
    writeln!(out, "<p class=\"key\">")?;
    for (part, color) in figures::parts(&Resources::default()).iter().zip(CLASS_COLORS) {
        writeln!(out, "<span><i style=\"background:{}\"></i>{}</span>", css(color), part.name)?;
    }
    writeln!(out, "</p><svg viewBox=\"0 0 {WIDTH} 215\" role=\"img\" aria-label=\"Iterations\">")?;
    for tick in ticks(full) {
        let y = BOTTOM - tick / full * (BOTTOM - TOP);
        writeln!(
            out,
            "<path class=\"rule\" d=\"M{LEFT} {y:.2}H{WIDTH}\"/><text x=\"{}\" y=\"{:.2}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            y + 3.5,
            unit.fitting(full).short(tick)
        )?;
    }
    let step = (WIDTH - LEFT) / count_to_f64(bars.len() as u64);
    let mut x = LEFT;
    for bar in bars {
        write_bar(bar, (x, step), full, unit, out)?;
        x += step;
    }
    let (first, last) = (bars[0].first, bars[bars.len() - 1].last);
    writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"208\">{first}</text><text x=\"{WIDTH}\" y=\"208\" text-anchor=\"end\">{last}</text>\
         </svg></figure>"
    )
}

/// A bar, with the figures that the browser shows at the pointer.
fn write_bar(
    bar: &Bar,
    (x, step): (f64, f64),
    full: f64,
    unit: TimeUnit,
    out: &mut dyn Write,
) -> io::Result<()> {
    let width = (step * 0.82).min(40.0);
    let left = x + (step - width) / 2.0;
    let name = if bar.first == bar.last {
        format!("Iteration {}", bar.first)
    } else {
        format!("Iterations {} to {}", bar.first, bar.last)
    };
    write!(out, "<g><title>{name}: {}", time(bar.total_ns(), unit))?;
    for (part, ns) in figures::parts(&Resources::default()).iter().zip(bar.ns).filter(|(_, ns)| *ns > 0.0) {
        write!(out, ", {} {}", part.name, time(ns, unit))?;
    }
    write!(out, "</title>")?;
    let mut y = BOTTOM;
    for (ns, color) in bar.ns.iter().zip(CLASS_COLORS) {
        let height = (ns / full * (BOTTOM - TOP)).min(y - TOP);
        if height > 0.0 {
            y -= height;
            write!(
                out,
                "<rect x=\"{left:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{}\"/>",
                css(color)
            )?;
        }
    }
    if bar.total_ns() > full * 1.000_001 {
        let (right, middle) = (left + width, left + width / 2.0);
        write!(out, "<path class=\"tip\" d=\"M{left:.2} 8L{right:.2} 8L{middle:.2} 1Z\"/>")?;
    }
    if bar.is_aggregated {
        write!(out, "<rect class=\"mark\" x=\"{x:.2}\" y=\"192\" width=\"{step:.2}\" height=\"3\"/>")?;
    }
    writeln!(out, "</g>")
}

/// A colour in CSS notation.
fn css(rgb: u32) -> String {
    format!("#{rgb:06x}")
}
