import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * What every visit needs is one file, and what many pages share is another. Without this a page is a hundred small
 * files, each of which costs a request and compresses badly.
 */
const sharedFiles = [
  // What is wrong with a field is said by every page, also by one without a form.
  { name: 'common', test: /[\\/]src[\\/]fields[\\/]problems\.ts/, priority: 4 },
  { name: 'core', tags: ['$initial' as const], priority: 3 },
  // Forms check by definitions; a page without a form does not load what that takes.
  {
    name: 'fields',
    test: /[\\/]zod[\\/]|[\\/]src[\\/]fields[\\/]|[\\/]definition[\\/]|[\\/]rules\.ts/,
    priority: 2,
  },
  { name: 'common', minShareCount: 9, priority: 1 },
]

/** The gateway serves the built files under /console/. For work on the pages, start one beside `vite console`. */
export default defineConfig({
  base: '/console/',
  plugins: [react(), listSharedSources()],
  build: {
    target: 'es2023',
    chunkSizeWarningLimit: 1200,
    reportCompressedSize: true,
    rolldownOptions: { output: { codeSplitting: { groups: sharedFiles } } },
  },
  server: { proxy: { '/console/api': 'http://127.0.0.1:8080' } },
})

/** Writes down which files of `src/` are in the bundle, so that a change to one of them builds it again. */
function listSharedSources(): Plugin {
  let projectRoot = ''
  return {
    name: 'list-shared-sources',
    apply: 'build',
    configResolved({ root }) {
      projectRoot = root.replace(/console$/, '')
    },
    generateBundle() {
      const sources = [...this.getModuleIds()]
        .filter((id) => id.startsWith(`${projectRoot}src/`))
        .map((id) => id.slice(projectRoot.length))
      const source = sources.toSorted().join('\n')
      this.emitFile({ type: 'asset', fileName: '.bundled-sources', source })
    },
  }
}
