import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npmCommand } from '../bootstrap/npm-command.mjs'
import { runChild } from '../bootstrap/run-child.mjs'

const startMs = 60_000

/**
 * Installs the npm package into an empty folder, as a user does, and sends one request to its gateway.
 * @param {string | undefined} tarball
 * @returns {Promise<string | undefined>} what is wrong
 */
export async function proveNpm(tarball) {
  if (tarball === undefined) return 'run "npm run package" first'
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-npm-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
    const { program, leadingArguments } = npmCommand()
    const npm = (/** @type {readonly string[]} */ words) =>
      runChild(program, [...leadingArguments, ...words], { cwd: folder, capture: true })
    const installed = await npm(['install', '--no-audit', '--no-fund', '--loglevel=error', tarball])
    if (installed.code !== 0) return installed.output.trim()
    const version = await npm(['exec', '--', 'tollgate', '--version'])
    if (!/^tollgate \d/m.test(version.output)) return version.output.trim()
    return await proveStart(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string} folder */
async function proveStart(folder) {
  const command = join(folder, 'node_modules', '.bin', 'tollgate')
  const env = { ...process.env, TOLLGATE_LAME_DUCK_SECONDS: '0' }
  const child = spawn(command, ['serve', '--listen', '127.0.0.1:0'], { cwd: folder, env })
  const exited = new Promise((resolve) => {
    child.once('exit', resolve)
  })
  try {
    const banner = await readBanner(child)
    const url = /ready at +(http:\S+)/.exec(banner)?.[1]
    const key = /API key +(\S+)/.exec(banner)?.[1]
    if (url === undefined || key === undefined) return `the gateway did not start: ${banner.trim()}`
    const body = '{"model":"demo-small","messages":[{"role":"user","content":"Hello!"}]}'
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const reply = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    if (reply.status !== 200) return `the request was answered with ${reply.status}`
    const page = await fetch(`${url}/console/`)
    if (page.status !== 200) return `the console was answered with ${page.status}`
    child.kill('SIGTERM')
    const code = await exited
    return code === 0 ? undefined : `the gateway ended with ${code}`
  } finally {
    child.kill('SIGKILL')
  }
}

/** @param {import('node:child_process').ChildProcessWithoutNullStreams} child @returns {Promise<string>} */
function readBanner(child) {
  return new Promise((resolve) => {
    let text = ''
    const end = () => resolve(text)
    const timer = setTimeout(end, startMs)
    timer.unref()
    child.once('exit', end)
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece) => {
        text += String(piece)
        if (text.includes('Ctrl-C stops.')) end()
      })
    }
  })
}
