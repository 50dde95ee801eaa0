import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { runChild } from '../bootstrap/run-child.mjs'
import { proveNpm } from './prove-npm.mjs'

/*
 * Checks the files of deploy/ and the built packages with the programs that this machine has, and names the programs that
 * it lacks. `npm test` needs none of these programs.
 */

const exposureMax = 2
const chart = join(projectRoot, 'deploy', 'helm', 'tollgate')
const kubernetes = '1.31'
/** Values of the chart, by the names of the files that are written with them. */
const chartValues = {
  least: [],
  most: [
    '--set',
    'ingress.enabled=true,ingress.tlsSecret=t,autoscaling.enabled=true,serviceMonitor.enabled=true,limits.existingSecret=v,envFromSecrets={a}',
  ],
  peers: [
    '--set-json',
    'networkPolicy.from=[{"namespaceSelector":{}}]',
    '--set-json',
    'networkPolicy.metricsFrom=[{"podSelector":{}}]',
    '--set-json',
    'config={"trustedProxies":["10.0.0.0/8"]}',
  ],
  alone: ['--set', 'replicas=1,podDisruptionBudget.enabled=false,networkPolicy.enabled=false'],
}

/** @typedef {{ name: string, needs: string, run: (program: string) => Promise<string | { readonly notChecked: string } | undefined> }} DeployCheck run returns what is wrong */

/** @type {readonly DeployCheck[]} */
const checks = [
  { name: 'systemd unit', needs: 'systemd-analyze', run: checkUnit },
  { name: 'Helm chart', needs: 'helm', run: checkChart },
  { name: 'Kubernetes objects', needs: 'kubernetes-validate', run: checkObjects },
  { name: 'compose file', needs: 'docker-compose', run: checkCompose },
  { name: 'Dockerfile', needs: 'hadolint', run: checkDockerfile },
  { name: 'nginx site', needs: 'nginx', run: checkNginx },
  { name: 'Caddy site', needs: 'caddy', run: checkCaddy },
  { name: 'alert rules', needs: 'promtool', run: checkRules },
  { name: 'Debian package', needs: 'dpkg-deb', run: checkDebian },
  { name: 'npm package', needs: 'npm', run: () => proveNpm(builtFile(/^tollgate-.*\.tgz$/)) },
]

/** @returns {Promise<number>} the exit code */
export async function checkDeploy() {
  let failed = 0
  for (const { name, needs, run } of checks) {
    const program = findProgram(needs)
    const found =
      program === undefined ? { notChecked: `${needs} is not installed` } : await run(program)
    if (typeof found === 'string') failed += 1
    const verdict = typeof found === 'object' ? `not checked: ${found.notChecked}` : found
    process.stdout.write(`${name.padEnd(20)} ${verdict ?? 'ok'}\n`)
  }
  return failed > 0 ? 1 : 0
}

/** @param {string} name */
function findProgram(name) {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return [...folders, '/usr/sbin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
}

/** @param {RegExp} name @returns {string | undefined} the path of a package that `npm run package` has built */
function builtFile(name) {
  const folder = join(projectRoot, 'build', 'package')
  const found = existsSync(folder) ? readdirSync(folder).find((each) => name.test(each)) : undefined
  return found === undefined ? undefined : join(folder, found)
}

/** @param {string} program @param {readonly string[]} programArguments */
async function judge(program, programArguments) {
  const { code, output } = await runChild(program, programArguments, { capture: true })
  return code === 0 ? undefined : output.trim()
}

/** @param {string} program */
async function checkUnit(program) {
  const unit = join(projectRoot, 'deploy', 'systemd', 'tollgate.service')
  const wrong = await verifyUnit(program, unit)
  if (wrong !== undefined) return wrong
  const { output } = await runChild(program, ['security', '--offline=true', unit], {
    capture: true,
  })
  const exposure = Number(/Overall exposure level[^:]*: ([\d.]+)/.exec(output)?.[1])
  return exposure <= exposureMax ? undefined : `exposure ${exposure} is not ${exposureMax} or less`
}

/**
 * systemd ignores unknown keys with a warning, so nothing may be said. The program need not be installed.
 * @param {string} program @param {string} unit
 */
async function verifyUnit(program, unit) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-unit-'))
  try {
    const copy = join(folder, 'tollgate.service')
    writeFileSync(
      copy,
      readFileSync(unit, 'utf8').replaceAll('/usr/bin/tollgate', process.execPath),
    )
    const said = await runChild(program, ['verify', '--man=no', copy], { capture: true })
    return said.code === 0 && said.output === '' ? undefined : said.output.trim()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param {string} program */
async function checkChart(program) {
  const impossible = ['template', 'tollgate', chart, '--set', 'drainSeconds=-1']
  const problem = await judge(program, ['lint', '--strict', chart])
  if (problem !== undefined) return problem
  return (await judge(program, impossible)) === undefined
    ? 'a negative time is accepted'
    : undefined
}

/** @param {string} program */
async function checkObjects(program) {
  const helm = findProgram('helm')
  if (helm === undefined) return 'helm, which writes the objects, is not installed'
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-chart-'))
  try {
    for (const [name, options] of Object.entries(chartValues)) {
      const version = ['--kube-version', `${kubernetes}.0`]
      const render = ['template', 'tollgate', chart, ...version, ...options]
      const { code, output } = await runChild(helm, render, { capture: true })
      if (code !== 0) return output.trim()
      writeFileSync(join(folder, `${name}.yaml`), output)
    }
    const files = readdirSync(folder).map((name) => join(folder, name))
    return await judge(program, ['--strict', '-k', kubernetes, ...files])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param {string} program */
async function checkCompose(program) {
  const { output } = await runChild(program, ['version', '--short'], { capture: true })
  if (output.startsWith('1.')) return { notChecked: 'this is version 1, which is no longer made' }
  const file = join(projectRoot, 'deploy', 'compose', 'compose.yaml')
  return judge(program, ['--file', file, 'config', '--quiet'])
}

/** @param {string} program */
function checkDockerfile(program) {
  return judge(program, [join(projectRoot, 'deploy', 'container', 'Dockerfile')])
}

/** @param {string} program */
async function checkNginx(program) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-nginx-'))
  try {
    const { makeNginxConfig } = await import('./nginx-config.mjs')
    const file = await makeNginxConfig(folder, { port: 18_443, gateway: '127.0.0.1:8080' })
    return await judge(program, ['-t', '-p', folder, '-c', file])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param {string} program */
function checkCaddy(program) {
  const file = join(projectRoot, 'deploy', 'proxy', 'Caddyfile')
  return judge(program, ['validate', '--adapter', 'caddyfile', '--config', file])
}

/** The configuration names the rules, so both are checked. @param {string} program */
function checkRules(program) {
  const file = join(projectRoot, 'deploy', 'monitoring', 'prometheus.yaml')
  return judge(program, ['check', 'config', file])
}

/** @param {string} program */
async function checkDebian(program) {
  const file = builtFile(/_amd64\.deb$/)
  if (file === undefined) return 'run "npm run package" first'
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-debian-'))
  try {
    const problem = await judge(program, ['--extract', file, folder])
    if (problem !== undefined || process.arch !== 'x64') return problem
    return await judge(join(folder, 'usr', 'bin', 'tollgate'), ['--version'])
  } finally {
    rmSync(folder, { recursive: true })
  }
}
