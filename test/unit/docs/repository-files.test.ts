import { describe, expect, test } from 'bun:test'
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseDocument } from 'yaml'
import { z } from 'zod'

const root = join(import.meta.dirname, '..', '..', '..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const filesOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))

const yamlFiles = filesOf('.github').filter((path) => /\.ya?ml$/.test(path))
const jsonFiles = [...filesOf('.vscode'), ...filesOf('.devcontainer')]

describe('files for editors and the hosting site', () => {
  test.each(yamlFiles)('%s is YAML without errors, warnings or duplicate members', (path) => {
    const { errors, warnings, contents } = parseDocument(text(path), { uniqueKeys: true })
    expect([...errors, ...warnings]).toEqual([])
    expect(contents).not.toBeNull()
  })

  test.each(jsonFiles)('%s is JSON', (path) => {
    expect(JSON.parse(text(path))).toBeObject()
  })

  test.each(yamlFiles.filter((path) => /ISSUE_TEMPLATE\/(?!config)/.test(path)))(
    '%s has what an issue form needs, and every id once',
    (path) => {
      const form = z
        .object({
          name: z.string(),
          description: z.string(),
          body: z.array(z.object({ type: z.string(), id: z.string().optional() })).min(1),
        })
        .parse(parse(text(path)))
      const ids = form.body.flatMap(({ id }) => id ?? [])
      expect(new Set(ids).size).toBe(ids.length)
      for (const { type, id } of form.body)
        expect(type === 'markdown' || id !== undefined).toBeTrue()
    },
  )
})

describe('the workflow', () => {
  const { jobs } = z
    .object({
      jobs: z.object({
        test: z.object({
          strategy: z.object({
            matrix: z.object({ os: z.array(z.string()), node: z.array(z.number()) }),
          }),
          steps: z.array(z.object({ run: z.string().optional() })),
        }),
      }),
    })
    .parse(parse(text('.github/workflows/test.yml')))

  test('runs on Linux and macOS with every supported Node', () => {
    const { os, node } = jobs.test.strategy.matrix
    expect(os).toEqual(['ubuntu-latest', 'macos-latest'])
    expect(node).toEqual([20, 22, 24])
  })

  test('begins with the oldest Node that package.json allows', () => {
    const { engines } = z
      .object({ engines: z.object({ node: z.string() }) })
      .parse(JSON.parse(text('package.json')))
    expect(engines.node).toBe(`>=${Math.min(...jobs.test.strategy.matrix.node)}`)
  })

  test('runs npm test and no other command of the project', () => {
    const commands = jobs.test.steps.flatMap(({ run }) => run ?? [])
    expect(commands.filter((command) => !command.startsWith('sudo apt-get'))).toEqual(['npm test'])
  })
})

test('the hook that npm run hooks enables can be run', () => {
  const { scripts } = z
    .object({ scripts: z.object({ hooks: z.string() }) })
    .parse(JSON.parse(text('package.json')))
  const folder = scripts.hooks.split(' ').at(-1) ?? ''
  accessSync(join(root, folder, 'pre-commit'), constants.X_OK)
  expect(existsSync(join(root, 'tools', 'check-staged.mjs'))).toBeTrue()
})
