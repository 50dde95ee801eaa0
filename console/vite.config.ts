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
  plugins: [react(), keepNamedIcons(), listSharedSources()],
  build: {
    target: 'es2023',
    chunkSizeWarningLimit: 1200,
    reportCompressedSize: true,
    rolldownOptions: { output: { codeSplitting: { groups: sharedFiles } } },
  },
  server: { proxy: { '/console/api': 'http://127.0.0.1:8080' } },
})

/** Writes down which files outside `console/` are in the bundle, so that a change to one of them builds it again. */
function listSharedSources(): Plugin {
  let projectRoot = ''
  return {
    name: 'list-shared-sources',
    apply: 'build',
    configResolved({ root }) {
      projectRoot = root.replace(/console$/, '')
    },
    generateBundle() {
      // The name of a module may end with a query such as `?raw`.
      const files = [...this.getModuleIds()].map((id) => id.replace(/\?.*$/, ''))
      const sources = files
        .filter((file) => file.startsWith(projectRoot))
        .map((file) => file.slice(projectRoot.length))
        .filter((file) => !/^(?:console|node_modules)\//.test(file))
      const source = [...new Set(sources)].toSorted().join('\n')
      this.emitFile({ type: 'asset', fileName: '.bundled-sources', source })
    },
  }
}

/** Bundles only the icons that `src/icons/icons.ts` names. The package has 6,000, and the development server sends all. */
function keepNamedIcons(): Plugin {
  const utf8 = { encoding: 'utf8' } as const
  let listPath = ''
  return {
    name: 'keep-named-icons',
    apply: 'build',
    configResolved({ root }) {
      listPath = `${root}/src/icons/icons.ts`
    },
    load: {
      filter: { id: /[\\/]@iconify-json[\\/]tabler[\\/]icons\.json$/ },
      async handler(id) {
        const { icons } = JSON.parse(await this.fs.readFile(id, utf8)) as IconSet
        const exported = (await this.fs.readFile(listPath, utf8)).match(/^export .*/gm) ?? []
        const kept = exported.map((line) => namedIcon(line, icons))
        return JSON.stringify({ icons: Object.fromEntries(kept) })
      },
    },
  }
}

function namedIcon(line: string, icons: IconSet['icons']) {
  const name = /^export const Icon\w+ = icon\('([^']+)'\)$/.exec(line)?.[1]
  if (name === undefined)
    throw new Error(`src/icons/icons.ts: no icon's name in this line: ${line}`)
  const found = icons[name]
  if (found === undefined) throw new Error(`src/icons/icons.ts: Tabler Icons has no icon "${name}"`)
  if (/<(?!\/?g\b|path\b)/.test(found.body))
    throw new Error(`src/icons/icons.ts: the icon "${name}" has shapes other than paths`)
  return [name, { body: found.body }] as const
}

interface IconSet {
  readonly icons: Readonly<Record<string, { readonly body: string }>>
}
