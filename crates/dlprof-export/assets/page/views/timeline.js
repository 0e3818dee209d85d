export async function timelineView(context, place) { place.textContent = 'timeline'; }
