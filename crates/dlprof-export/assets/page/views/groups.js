export async function groupsView(context, place) { place.textContent = 'groups'; }
