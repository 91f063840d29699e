/** The switch that stops and starts the service's process, where the demo's server offers it. */
export function startServiceSwitch() {
  const button = document.querySelector('#service-switch')
  const word = document.querySelector('#service-state')

  const show = (/** @type {boolean} */ running) => {
    button.setAttribute('aria-checked', String(running))
    word.textContent = running ? 'on' : 'off'
    document.body.classList.toggle('service-off', !running)
  }
  const ask = async (/** @type {RequestInit | undefined} */ init) => {
    try {
      const response = await fetch('/demo/service', init)
      if (response.ok) show((await response.json()).running)
      button.disabled = !response.ok
    } catch {
      // The demo's own server is gone: there is nothing left to switch.
      button.disabled = true
    }
  }
  button.addEventListener('click', async () => {
    const running = button.getAttribute('aria-checked') !== 'true'
    button.disabled = true
    word.textContent = running ? 'starting …' : 'stopping …'
    const body = JSON.stringify({ running })
    await ask({ method: 'POST', headers: { 'content-type': 'application/json' }, body })
    button.focus()
  })
  void ask()
  return { look: () => void (button.disabled || ask()) }
}
