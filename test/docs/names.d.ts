// What the examples of the docs take from their surroundings.
/// <reference types="svelte" />

declare const waymark: import('waymark').Waymark
declare const page: import('@playwright/test').Page
declare const expect: (value: unknown) => { toMatchObject(expected: object): void }
declare const plugin: import('waymark').Plugin
declare const App: import('vue').Component

/** Nuxt's own, which needs no import there. */
declare function defineNuxtPlugin(plugin: (nuxt: { vueApp: import('vue').App }) => void): unknown

declare module '*.vue' {
  const component: import('vue').Component
  export default component
}

interface WindowEventMap {
  push: Event & { waitUntil(work: Promise<unknown>): void }
  'my-cmp-choice': CustomEvent<{ statistics: boolean }>
}
