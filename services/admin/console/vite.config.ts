/** Builds the console into static files under /console/; it loads nothing from other origins. */
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/console/',
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Everything in separate files: the page permits no inline scripts or styles.
    assetsInlineLimit: 0,
  },
  server: {
    // The hub as `npm start` starts it.
    proxy: { '^/(?!console/)': 'http://127.0.0.1:4100' },
  },
})
