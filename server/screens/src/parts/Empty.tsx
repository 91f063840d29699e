import type { ComponentChildren } from 'preact'

/** There is an answer, and nothing in it. */
export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty soft">{children}</p>
