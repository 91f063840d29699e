/** How long a client may take none of what is sent to it before it counts as gone. */
export const clientPatienceMs = 60_000
