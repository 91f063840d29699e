/** The blaze that is painted on trees: white, red, white. */
export const Mark = () => (
  <span class="mark">
    <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
      <rect class="mark-white" x="0.5" y="0.5" width="31" height="31" rx="6" />
      <rect class="mark-red" y="11" width="32" height="10" />
    </svg>
    waymark
  </span>
)
