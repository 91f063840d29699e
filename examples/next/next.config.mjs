export default {
  async rewrites() {
    return [
      {
        source: '/w/:path(track|identify|alias|anonymous|ids|waymark\\.[a-z0-9.-]+)',
        destination: 'http://127.0.0.1:8787/w/:path',
      },
    ]
  },
}
