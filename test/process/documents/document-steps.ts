import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../support/eventually.ts'
import { missingPart } from '../../support/missing-part.ts'
import { patience } from '../../support/patience.ts'
import { productCommand } from '../../support/process/tollgate-process.ts'
import { type StartedGateway, startGateway } from './started-gateway.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const stepMs = patience(60_000)

interface Step {
  readonly block: string
  readonly printed: string
  /** The command reads data that is written after the request. */
  readonly isSoon: boolean
}

export function readDocument(name: string): string {
  return readFileSync(join(root, 'docs', name), 'utf8')
}

/** Each block of commands with the expected output below it. */
function stepsOf(text: string): readonly Step[] {
  const blocks = text.matchAll(
    /^<!-- tested(: soon)? -->\n```bash\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```/gm,
  )
  return [...blocks].map(([, soon, block = '', printed = '']) => ({
    block,
    printed,
    isSoon: soon !== undefined,
  }))
}

/** `…` stands for anything. */
function patternOf(printed: string): RegExp {
  const parts = printed.split('…').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('.*')}$`)
}

/** Runs a block as a reader would paste it, after the earlier blocks. */
async function run(block: string, folder: string, gateway: StartedGateway): Promise<string> {
  const state = join(folder, 'shell-state')
  const commands = block
    .replaceAll('http://127.0.0.1:8080', gateway.baseUrl)
    .replaceAll('node tools/tollgate.mjs', productCommand([]).join(' '))
  const script = [
    `[ ! -f ${state} ] || . ${state}`,
    'set -a',
    commands,
    `{ declare -f; export -p; } > ${state}`,
  ].join('\n')
  const child = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', TOLLGATE_DATA: gateway.data },
    stderr: 'pipe',
  })
  const [output, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect(complaints).toBe('')
  return output
}

/** Runs all commands of a document, in order, on a gateway of their own. */
export function testCommandsOf(name: string): void {
  const text = readDocument(name)
  const steps = stepsOf(text)
  if (Bun.which('curl') === null || Bun.which('bash') === null) {
    missingPart(`the commands of docs/${name}`, 'curl and bash are needed; install them')
    return
  }
  describe(`the commands of docs/${name}, in order`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-document-'))
    let gateway: StartedGateway
    beforeAll(async () => {
      gateway = await startGateway()
    }, stepMs)
    afterAll(async () => {
      expect(await gateway.stop()).toBe(0)
      rmSync(folder, { recursive: true, force: true })
    }, stepMs)

    test.each(steps.map((step) => [step.block.split('\n')[0] ?? '', step] as const))(
      'print the documented output: %s',
      async (_, { block, printed, isSoon }) => {
        const check = async () => {
          const output = await run(block, folder, gateway)
          if (!patternOf(printed).test(output)) expect(output).toBe(printed)
          return true
        }
        if (!isSoon) await check()
        else await eventually('what was used is in the log', () => check().catch(() => false))
      },
      stepMs,
    )

    test('every block of commands is tested', () => {
      expect(steps.length).toBe([...text.matchAll(/^```bash$/gm)].length)
      expect(steps.length).toBeGreaterThan(7)
    })
  })
}
