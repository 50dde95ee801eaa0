import { posix } from 'node:path'
import type { Finding } from '../finding.ts'
import { listImports } from '../list-imports.ts'
import type { SourceFile } from '../source-file.ts'

const extension = /\.(?:ts|tsx|mts|js|jsx|mjs)$/

/**
 * An import names its file with the extension, and not the folder of an index. The compiler and Bun also find
 * `./money` and `./money.js`; readers, searches and the other rules would have to guess.
 */
export function checkImportPaths(sources: ReadonlyMap<string, SourceFile>): Finding[] {
  const stems = new Map([...sources.keys()].map((path) => [path.replace(extension, ''), path]))
  return [...sources].flatMap(([path, file]) =>
    listImports(file).flatMap(({ specifier, line }) => {
      const target = posix.join(posix.dirname(path), specifier)
      // A URL that ends with a slash is a folder.
      if (!specifier.startsWith('.') || specifier.endsWith('/') || sources.has(target)) return []
      const stem = target.replace(extension, '')
      const meant = stems.get(stem) ?? stems.get(posix.join(stem, 'index'))
      if (meant === undefined) return []
      const message =
        `imports ${specifier}, which is not the path of a file. An import names the file that is read. ` +
        `Write the path of ${meant} with its extension.`
      return [{ path, line, rule: 'import-paths', message }]
    }),
  )
}
