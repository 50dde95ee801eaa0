import { Alert, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ProxyCheck } from '../../../../src/console-api/contract.ts'
import { Facts } from '../parts/facts.tsx'

const colors: Readonly<Record<ProxyCheck['verdict'], string>> = {
  direct: 'teal',
  proxied: 'teal',
  'untrusted-proxy': 'orange',
  'trusts-all': 'red',
}

/** Shows how the gateway determined the client address of this very request. */
export function ProxyState({ proxy }: { proxy: ProxyCheck }) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm">
      <Alert color={colors[proxy.verdict]}>{t(`system.verdict.${proxy.verdict}`)}</Alert>
      <Facts
        facts={[
          [t('system.yourAddress'), proxy.address],
          [
            t('system.peer'),
            `${proxy.peer} · ${proxy.isPeerTrusted ? t('system.trusted') : t('system.untrusted')}`,
          ],
          ['X-Forwarded-For', proxy.forwardedFor],
          ['X-Forwarded-Proto', proxy.forwardedProto],
          [
            t('system.trustedProxies'),
            proxy.trusted.length === 0 ? t('system.none') : proxy.trusted.join(', '),
          ],
        ]}
      />
    </Stack>
  )
}
