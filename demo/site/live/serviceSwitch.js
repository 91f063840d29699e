import { record } from '../tour.js'

/**
 * The switch that stops and starts the service's process, where the demo's server offers it. `changed` is called when
 * the service has come or gone.
 * @param {{ changed: () => void }} options
 */
export function startServiceSwitch({ changed }) {
  const button = document.querySelector('#service-switch')
  const word = document.querySelector('#service-state')
  let isOn = true
  let isBusy = false

  const show = (/** @type {boolean} */ running) => {
    button.setAttribute('aria-checked', String(running))
    word.textContent = running ? 'on' : 'off'
    document.body.classList.toggle('service-off', !running)
    record(running ? 'on' : 'off')
    const hasChanged = running !== isOn
    isOn = running
    if (hasChanged) changed()
  }
  const ask = async (/** @type {RequestInit | undefined} */ init) => {
    isBusy = true
    try {
      const response = await fetch('/demo/service', init)
      if (response.ok) show((await response.json()).running)
      button.disabled = !response.ok
    } catch {
      // The demo's own server is gone, and the service with it.
      button.disabled = true
      isOn = false
    }
    isBusy = false
  }
  button.addEventListener('click', async () => {
    const running = button.getAttribute('aria-checked') !== 'true'
    button.disabled = true
    word.textContent = running ? 'starting …' : 'stopping …'
    isOn = false
    const body = JSON.stringify({ running })
    await ask({ method: 'POST', headers: { 'content-type': 'application/json' }, body })
    changed()
    button.focus()
  })
  void ask()
  return {
    isOn: () => isOn,
    /** Asks the demo's server, which answers also while the service is off. */
    look: () => void (isBusy || button.disabled || ask()),
  }
}
