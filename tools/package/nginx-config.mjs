import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { runTool } from './run-tool.mjs'

/**
 * Writes a whole configuration around the site of deploy/proxy, with a certificate and ports for a test.
 * @param {string} folder
 * @param {{ port: number, gateway: string }} options
 * @returns {Promise<string>} the path of the configuration
 */
export async function makeNginxConfig(folder, { port, gateway }) {
  const key = join(folder, 'key.pem')
  const certificate = join(folder, 'certificate.pem')
  const subject = ['-subj', '/CN=models.example.com', '-days', '2', '-nodes']
  const files = ['-keyout', key, '-out', certificate]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  await runTool('openssl', ['req', '-x509', ...kind, ...subject, ...files])
  const site = readFileSync(join(projectRoot, 'deploy', 'proxy', 'nginx.conf'), 'utf8')
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`)
    .replace(/ *listen \[::\]:443 ssl;\n/, '')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('127.0.0.1:8080', gateway)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${join(folder, name)};\n`,
  )
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off;\npid ${join(folder, 'pid')};\nerror_log stderr;\nevents {}\nhttp {\n  access_log off;\n${paths.join('')}${site}}\n`,
  )
  return file
}
