import { spawn, spawnSync } from 'node:child_process'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { freePort } from '../testing/free-port.mjs'

const startSeconds = 30

/**
 * @typedef {object} TemporaryGateway
 * @property {string} url
 * @property {string} token for everything
 * @property {() => string[]} defects lines of the log about answers with status 500
 * @property {() => void} stop
 */

/**
 * Starts a gateway with an empty database.
 * @param {string} program the built file
 * @param {string} folder
 * @returns {Promise<TemporaryGateway>}
 */
export async function startGateway(program, folder) {
  const port = await freePort()
  const settings = ['--data', folder, '--listen', `127.0.0.1:${port}`, '--demo', 'off']
  const child = spawn(bunPath(), [program, 'serve', ...settings], { stdio: 'pipe' })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      said += String(piece)
    })
  }
  const stop = () => {
    child.kill('SIGINT')
  }
  const url = `http://127.0.0.1:${port}`
  try {
    await untilReady(url)
    const create = ['tokens', 'create', ...settings, '--name', 'fuzz', '--scope', 'all']
    const made = spawnSync(bunPath(), [program, ...create], { encoding: 'utf8' })
    const token = /tgat_\w+/.exec(made.stdout)?.[0]
    if (token === undefined) throw new Error(`The token could not be created: ${made.stderr}`)
    const defects = () => said.split('\n').filter((line) => line.includes('"console_failed"'))
    return { url, token, defects, stop }
  } catch (error) {
    stop()
    throw error
  }
}

/** @param {string} url */
async function untilReady(url) {
  const lastMs = Date.now() + startSeconds * 1_000
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    if (response?.ok) return
    if (Date.now() > lastMs) throw new Error(`The gateway did not start within ${startSeconds} s.`)
    await new Promise((resolve) => {
      setTimeout(resolve, 100)
    })
  }
}
