import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'

/** The gateway of `npm run dev`: runs from its sources and restarts after a change. */
export class DevGateway {
  /** @type {string[]} */
  #flags
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child
  /** @type {Promise<void>} */
  #ended = Promise.resolve()
  #isStopping = false
  #isRestarting = false
  /** @type {(url: string) => void} */
  #foundUrl = () => {}
  /** Resolves with the URL at which the gateway first became ready. */
  firstUrl = /** @type {Promise<string>} */ (
    new Promise((resolve) => {
      this.#foundUrl = resolve
    })
  )

  /** @param {string[]} flags */
  constructor(flags) {
    this.#flags = flags
  }

  start() {
    if (this.#isStopping) return
    // A separate process group: Ctrl-C on a terminal reaches only this launcher, which forwards the signal once.
    const child = spawn(bunPath(), [join(projectRoot, 'src', 'main.ts'), 'serve', ...this.#flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    this.#child = child
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      process.stdout.write(text)
      printed = `${printed}${text}`.slice(-4096)
      const url = /ready at +(http:\S+)/.exec(printed)?.[1]
      if (url !== undefined) this.#noteUrl(url)
    })
    this.#ended = new Promise((resolve) => {
      child.once('error', () => resolve())
      child.once('close', (code) => {
        this.#child = undefined
        if (!this.#isStopping && !this.#isRestarting) {
          process.stderr.write(
            `The gateway stopped with exit code ${code ?? 'none'}. It starts again when src/ changes.\n`,
          )
        }
        resolve()
      })
    })
  }

  restart() {
    if (this.#isRestarting) return this.interrupt()
    this.#isRestarting = true
    this.interrupt()
    void this.#ended.then(() => {
      this.#isRestarting = false
      this.start()
    })
  }

  async stop() {
    this.#isStopping = true
    this.interrupt()
    await this.#ended
  }

  /** Acts like Ctrl-C: the first time running requests may finish, the second time they are ended. */
  interrupt() {
    this.#child?.kill('SIGINT')
  }

  kill() {
    this.#child?.kill('SIGKILL')
  }

  /** Keeps a port that the system has chosen, because the console's server sends its requests there. */
  #noteUrl(/** @type {string} */ url) {
    const at = this.#flags.indexOf('--listen')
    const others = at < 0 ? this.#flags : this.#flags.toSpliced(at, 2)
    this.#flags = [...others, '--listen', new URL(url).host]
    this.#foundUrl(url)
  }
}
