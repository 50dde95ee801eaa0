import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isConsoleCurrent, stampBuild } from '../../../tools/bootstrap/console-stamp.mjs'

interface Project {
  readonly write: (path: string, text: string) => void
  readonly build: (during?: () => void) => Promise<void>
  readonly isCurrent: () => boolean
}

async function inProject(use: (project: Project) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'tollgate-console-stamp-'))
  const built = join(root, 'console', 'dist')
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write('console/src/main.tsx', 'page')
  write('src/console-api/contract/rules.ts', 'rules')
  write('src/core/money/money.ts', 'money')
  write('src/ledger/lease.ts', 'lease')
  write('package-lock.json', '{}')
  const build = (during?: () => void): Promise<void> =>
    stampBuild(
      built,
      async () => {
        write(
          'console/dist/.bundled-sources',
          [
            'docs/pictures/mark.svg',
            'src/console-api/contract.ts',
            'src/console-api/contract/rules.ts',
            'src/core/money/money.ts',
            'src/fields/kind.ts',
            'src/keys/definition/key.ts',
          ].join('\n'),
        )
        during?.()
      },
      root,
    )
  try {
    await use({ write, build, isCurrent: () => isConsoleCurrent(built, root) })
  } finally {
    rmSync(root, { recursive: true })
  }
}

test.each([
  ['console/src/main.tsx', false],
  ['console/src/new-page.tsx', false],
  ['console/src/i18n/en/keys.ts', false],
  ['console/src/console.css', false],
  ['console/public/favicon.svg', false],
  ['console/index.html', false],
  ['console/tsconfig.json', false],
  ['console/vite.config.ts', false],
  ['tsconfig.json', false],
  ['src/keys/definition/key.ts', false],
  ['src/fields/kind.ts', false],
  ['src/console-api/contract.ts', false],
  ['docs/pictures/mark.svg', false],
  ['src/console-api/contract/rules.ts', false],
  ['src/core/money/money.ts', false],
  ['package-lock.json', false],
  ['src/ledger/lease.ts', true],
])('after a change to %s the built console is current: %p', async (path, isCurrent) => {
  await inProject(async (project) => {
    expect(project.isCurrent()).toBe(false)
    await project.build()
    expect(project.isCurrent()).toBe(true)
    project.write(path, 'changed')
    expect(project.isCurrent()).toBe(isCurrent)
  })
})

test('a build during which a source changed is not current', async () => {
  await inProject(async (project) => {
    await project.build(() => project.write('src/core/money/money.ts', 'changed meanwhile'))
    expect(project.isCurrent()).toBe(false)
    await project.build()
    expect(project.isCurrent()).toBe(true)
  })
})
