//! Where the labels of points stand, so that none lies over another or over a point.

use dlprof_core::PlacedPoint;

/// Shares of the frame that a letter takes in a picture of 640 × 400: about 6 by 13 pixels.
const LETTER: [f64; 2] = [6.0 / 640.0, 13.0 / 400.0];
/// The width of the frame over its height.
const ASPECT: f64 = 640.0 / 400.0;

/// Where a label stands: its left end and its middle, as shares of the frame.
pub(super) type LabelPlace = [f64; 2];

/// A rectangle: from left, from below, width, height.
#[derive(Debug, Clone, Copy)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn is_inside(self) -> bool {
        self.x >= 0.0 && self.y >= 0.0 && self.x + self.width <= 1.0 && self.y + self.height <= 1.0
    }

    fn meets(self, other: Self) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }
}

/// A place for each label, in order, given the heights of flat roofs: at the right of the point, at the left, above or below; none if all are taken.
pub(super) fn place_labels(
    points: &[PlacedPoint],
    labels: &[Option<String>],
    roofs: &[f64],
) -> Vec<Option<LabelPlace>> {
    // The names of flat roofs stand above them at the right.
    let name_of = |y: &f64| Area { x: 0.78, y: *y, width: 0.22, height: 1.3 * LETTER[1] };
    let mut taken: Vec<Area> = points.iter().map(circle).chain(roofs.iter().map(name_of)).collect();
    let mut places = Vec::with_capacity(points.len());
    for (number, (point, label)) in points.iter().zip(labels).enumerate() {
        let place = label.as_ref().and_then(|label| {
            let width = LETTER[0] * dlprof_core::count_to_f64(label.chars().count() as u64);
            let free = candidates(point, width).into_iter().find(|area| {
                let others = taken.iter().enumerate().filter(|(at, _)| *at != number);
                area.is_inside() && others.into_iter().all(|(_, other)| !area.meets(*other))
            })?;
            taken.push(free);
            Some([free.x, free.y + free.height / 2.0])
        });
        places.push(place);
    }
    places
}

fn circle(point: &PlacedPoint) -> Area {
    let (wide, high) = (point.radius, point.radius * ASPECT);
    Area { x: point.at[0] - wide, y: point.at[1] - high, width: 2.0 * wide, height: 2.0 * high }
}

fn candidates(point: &PlacedPoint, width: f64) -> [Area; 4] {
    let [x, y] = point.at;
    let gap = point.radius + LETTER[0];
    let up = point.radius * ASPECT + LETTER[1] / 3.0;
    let area = |x: f64, y: f64| Area { x, y, width, height: LETTER[1] };
    [
        area(x + gap, y - LETTER[1] / 2.0),
        area(x - gap - width, y - LETTER[1] / 2.0),
        area(x - width / 2.0, y + up),
        area(x - width / 2.0, y - up - LETTER[1]),
    ]
}
