export async function scatterView(context, place) { place.textContent = 'scatter'; }
