export async function iterationsView(context, place) { place.textContent = 'iterations'; }
