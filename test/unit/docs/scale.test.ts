import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')

test('docs/scale.md shows the output of the calculation', () => {
  const { stdout } = Bun.spawnSync(['node', join(root, 'tools', 'scale.mjs')])
  const printed = stdout.toString()
  expect(printed).toContain('100000')
  expect(readFileSync(join(root, 'docs', 'scale.md'), 'utf8')).toContain(printed)
})
