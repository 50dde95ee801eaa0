import './bootstrap/require-node.mjs'
import { join } from 'node:path'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { projectRoot } from './bootstrap/project-root.mjs'
import { stopWith } from './bootstrap/stop-with.mjs'
import { watchParent } from './bootstrap/watch-parent.mjs'
import { DevGateway } from './dev/dev-gateway.mjs'
import { watchFolder } from './dev/watch-folder.mjs'

const usage = `Usage: npm run dev -- [--console-port N] [flags of the gateway]
Runs the gateway and the console and reloads both when their sources change.`
const consolePortUsually = 5173

await ensureInstalled()
// Import late: Vite may have been installed just now.
const { createServer } = await import('vite')

const { consolePort, flags } = readArguments(process.argv.slice(2))
const gateway = new DevGateway(flags)
const unwatch = watchFolder(join(projectRoot, 'src'), (file) => {
  process.stdout.write(`\nsrc/${file} has changed. Restarting the gateway …\n`)
  gateway.restart()
})
/** @type {Awaited<ReturnType<typeof createServer>> | undefined} */
let pages
let isStopping = false
const endParentWatch = watchParent(() => void stop())
process.on('SIGINT', () => void stop())
process.on('SIGTERM', () => void stop())
// The end of this process always ends the gateway too.
process.on('exit', () => gateway.kill())

gateway.start()
const gatewayUrl = await gateway.firstUrl
if (!isStopping) await openConsole(gatewayUrl)

/** @param {string} target */
async function openConsole(target) {
  pages = await createServer({
    root: join(projectRoot, 'console'),
    cacheDir: join(projectRoot, 'build', 'vite'),
    clearScreen: false,
    server: {
      host: '127.0.0.1',
      port: consolePort,
      strictPort: true,
      proxy: { '/console/api': target },
    },
  })
  try {
    await pages.listen()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    gateway.kill()
    stopWith(
      `The console cannot listen on port ${consolePort}: ${why}. Choose one with --console-port.`,
    )
  }
  process.stdout.write(
    `\nGateway   ${target}  (restarts when src/ changes)\n` +
      `Console   http://127.0.0.1:${consolePort}/console/  (reloads when console/ changes)\n` +
      'Ctrl-C stops both.\n',
  )
}

/** The first call stops both. A second call does not wait for running requests. */
async function stop() {
  if (isStopping) return gateway.interrupt()
  isStopping = true
  endParentWatch()
  unwatch()
  await Promise.all([pages?.close(), gateway.stop()])
  process.exit(0)
}

/** @param {string[]} argv */
function readArguments(argv) {
  if (argv.includes('--help')) {
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  }
  const at = argv.indexOf('--console-port')
  if (at < 0) return { consolePort: consolePortUsually, flags: argv }
  const port = Number(argv[at + 1])
  if (!(Number.isInteger(port) && port > 0 && port < 65_536))
    stopWith(`--console-port takes a port number.\n${usage}`)
  return { consolePort: port, flags: argv.toSpliced(at, 2) }
}
