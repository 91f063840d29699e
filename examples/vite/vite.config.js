import react from '@vitejs/plugin-react'

export default {
  plugins: [react()],
  server: {
    proxy: {
      '^/w/(track|identify|alias|anonymous|ids|waymark[.])': {
        target: 'http://127.0.0.1:8787',
        headers: { cookie: '' },
      },
    },
  },
}
