export async function gpusView(context, place) { place.textContent = 'gpus'; }
