import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The gateway serves the built files under /console/. For work on the pages, start one beside `vite console`. */
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: { target: 'es2023', chunkSizeWarningLimit: 1200, reportCompressedSize: true },
  server: { proxy: { '/console/api': 'http://127.0.0.1:8080' } },
})
