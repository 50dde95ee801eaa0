import { Alert, List, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SystemAnswer } from '../../../../src/console-api/contract.ts'
import { useFindingText } from '../../codes/use-finding-text.ts'
import { PageAnchor } from '../../parts/page/page-anchor.tsx'
import { formatAge } from '../parts/ages.ts'

/** Result of the last self-audit of the ledger. */
export function AuditState({ system }: { system: SystemAnswer }) {
  const { t, i18n } = useTranslation()
  const findingText = useFindingText()
  const { lastAt, stops } = system.selfAudit
  const last =
    lastAt === null
      ? t('system.auditNever')
      : t('system.auditLast', { age: formatAge(lastAt, system.now, i18n.language) })
  if (stops.length === 0) {
    return (
      <Alert
        {...(lastAt === null ? { color: 'gray' } : { color: 'teal', title: t('system.balanced') })}
      >
        {last}
      </Alert>
    )
  }
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {last}
      </Text>
      {stops.map((stop) => (
        <Alert
          key={stop.accountId}
          color={stop.isReleased ? 'orange' : 'red'}
          title={
            stop.isReleased
              ? t('system.releasedAccount', { account: stop.accountId })
              : t('system.stoppedAccount', { account: stop.accountId })
          }
        >
          <List size="sm">
            {stop.findings.map((finding) => (
              <List.Item key={finding.text}>{findingText(finding)}</List.Item>
            ))}
          </List>
          <PageAnchor to="/operate/accounts" search={{ open: stop.accountId }} size="sm">
            {t('system.toAccount')}
          </PageAnchor>
        </Alert>
      ))}
    </Stack>
  )
}
