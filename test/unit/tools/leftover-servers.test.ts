import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanLeftovers } from '../../../tools/postgres/clean-leftovers.mjs'

const parent = mkdtempSync(join(tmpdir(), 'tollgate-leftovers-'))
afterAll(() => rmSync(parent, { recursive: true, force: true }))

/** A program with a folder for a server. Nothing in its command says that it tests something. */
async function startOwner() {
  const tool = new URL('../../../tools/postgres/server-folder.mjs', import.meta.url).href
  const script = `const { makeServerFolder } = await import(process.env.TOOL)
    console.log(makeServerFolder({}))
    process.stdin.resume()`
  const owner = Bun.spawn([process.execPath, '-e', script], {
    env: { ...process.env, TMPDIR: parent, TOOL: tool },
    stdin: 'pipe',
    stdout: 'pipe',
  })
  const { value } = await owner.stdout.getReader().read()
  const end = async () => {
    owner.kill('SIGKILL')
    await owner.exited
  }
  return { folder: new TextDecoder().decode(value).trim(), end }
}

test('the server of a program that runs is left alone, whatever the program is called', async () => {
  const { folder, end } = await startOwner()
  await cleanLeftovers(parent)
  expect(existsSync(folder)).toBe(true)
  await end()
})

test('the server of a killed program is stopped and deleted', async () => {
  const { folder, end } = await startOwner()
  await end()
  await cleanLeftovers(parent)
  expect(existsSync(folder)).toBe(false)
})

test('another program that has the process id of a killed one keeps nothing alive', async () => {
  // Without this table, the id is all that is known of a process.
  if (!existsSync('/proc/self/stat')) return
  const { folder, end } = await startOwner()
  const [, name = '', pid = '', start = '', rest = ''] =
    /^(.*-)(\d+)-(\d+)-(\w+)$/.exec(folder) ?? []
  const former = `${name}${pid}-${Number(start) - 1}-${rest}`
  renameSync(folder, former)
  await cleanLeftovers(parent)
  expect(existsSync(former)).toBe(false)
  await end()
})
