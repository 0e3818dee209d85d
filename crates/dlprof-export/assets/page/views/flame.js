export async function flameView(context, place) { place.textContent = 'flame'; }
