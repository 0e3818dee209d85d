export function makeSearch() { return { open() {} }; }
