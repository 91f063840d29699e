import { sveltekit } from '@sveltejs/kit/vite'

export default {
  plugins: [sveltekit()],
  server: {
    proxy: {
      '^/w/(track|identify|alias|anonymous|ids|waymark[.])': {
        target: 'http://127.0.0.1:8787',
        headers: { cookie: '' },
      },
    },
  },
}
