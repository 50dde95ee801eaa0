import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')

/** The forms need the rules and the codes, not the schemas, which would make every page larger. */
test.each(['src/console-api/contract.ts', 'console/src/api/request-of.ts'])(
  '%s brings no schema into the browser',
  async (entry) => {
    const built = await Bun.build({ entrypoints: [join(root, entry)], packages: 'external' })
    const text = await built.outputs[0]?.text()
    expect(text).toContain('x-tollgate-console')
    expect(text).not.toContain('zod')
    expect(text).not.toContain('strictObject')
  },
)
