export async function iterationKernelsView(context, place) { place.textContent = "x"; }
export async function opKernelsView(context, place) { place.textContent = "x"; }
