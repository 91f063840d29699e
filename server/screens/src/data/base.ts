/** What stands before `/app/` in the address: empty, or the path that a proxy leaves there. */
export const base = location.pathname.slice(0, Math.max(0, location.pathname.lastIndexOf('/app/')))
