export async function compareView(context, place) { place.textContent = 'compare'; }
