/** The page's rules reach the host element only, so all lines for it are `!important`. */
export const style = `
:host {
  --paper: #fffdf6; --sunk: #f2eddd; --ink: #26302b; --soft: #5d6259; --edge: #8a8672;
  --good: #1d6b3c; --bad: #8f1d34; --accent: #b3341d;
  all: initial !important;
  position: fixed !important;
  inset: auto 8px 8px auto !important;
  z-index: 2147483647 !important;
  width: min(30rem, 100vw - 16px) !important;
}
@media (prefers-color-scheme: dark) {
  :host {
    --paper: #1b2422; --sunk: #25302d; --ink: #ece6d6; --soft: #a9b0a3; --edge: #7b8780;
    --good: #7cc796; --bad: #f59aa8; --accent: #ff8262;
  }
}
* { box-sizing: border-box; margin: 0; }
section {
  display: flex; flex-direction: column; max-height: min(60vh, 36rem); overflow: hidden;
  background: var(--paper); color: var(--ink); border: 1px solid var(--edge); border-radius: 4px;
  box-shadow: 0 4px 24px #0006; font: 14px/1.45 system-ui, sans-serif; text-align: start;
}
section:focus { outline: none; }
section:focus-visible, summary:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
header { display: flex; align-items: center; gap: 4px 8px; flex-wrap: wrap; padding: 4px 4px 4px 12px; background: var(--sunk); border-bottom: 1px solid var(--edge); }
h2 { font: inherit; font-weight: 600; }
[role=status] { flex: 1; color: var(--bad); }
button { min-width: 28px; min-height: 28px; padding: 2px 10px; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 2px; cursor: pointer; }
ol { list-style: none; padding: 0; overflow-y: auto; overscroll-behavior: contain; }
p { padding: 8px 12px; color: var(--soft); }
li + li { border-top: 1px solid var(--edge); }
summary, .plain { display: grid; grid-template-columns: 5em 1fr auto; gap: 0 8px; align-items: baseline; min-height: 32px; padding: 5px 12px; }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary:hover { background: var(--sunk); }
time { color: var(--soft); font-variant-numeric: tabular-nums; }
b { font-weight: 600; overflow-wrap: anywhere; }
details:not([open]) b { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.way { padding: 0 6px; border: 1px solid var(--edge); border-radius: 2px; color: var(--soft); white-space: nowrap; }
.stored { color: var(--good); border-color: currentColor; }
.dropped, .error { color: var(--bad); border-color: currentColor; }
.problem { grid-column: 2 / -1; color: var(--bad); overflow-wrap: anywhere; }
.line { color: var(--soft); }
pre { padding: 4px 12px 10px; font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
`
