import { Alert, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SystemAnswer } from '../../../../src/console-api/contract.ts'
import { Money } from '../../parts/values/money.tsx'
import { formatAge } from '../parts/ages.ts'
import { Facts } from '../parts/facts.tsx'

/** Leases of all processes and the journal of this process, with the age of unfinished work. */
export function MoneyFacts({ system }: { system: SystemAnswer }) {
  const { t, i18n } = useTranslation()
  const { leases, journal, now } = system
  const count = (number: number, since: number | null) =>
    since === null
      ? number.toLocaleString('en-US')
      : `${number.toLocaleString('en-US')} · ${t('system.oldest', {
          age: formatAge(since, now, i18n.language),
        })}`
  return (
    <Stack gap="sm">
      {journal.notAdmitting !== null && (
        <Alert color="red">
          {journal.notAdmittingKind === null
            ? t('system.notAdmitting', { why: journal.notAdmitting })
            : t(`system.trouble.${journal.notAdmittingKind}`)}
        </Alert>
      )}
      {journal.damagedLines > 0 && (
        <Alert color="red">{t('system.damagedLines', { count: journal.damagedLines })}</Alert>
      )}
      {journal.refusedRecords > 0 && (
        <Alert color="red">{t('system.refusedRecords', { count: journal.refusedRecords })}</Alert>
      )}
      <Facts
        facts={[
          [t('system.leases'), count(leases.count, leases.oldestAt)],
          [t('system.held'), <Money key="held" nano={leases.heldNano} />],
          [t('system.openHolds'), count(journal.openHolds, journal.oldestHoldAt)],
          [t('system.unshipped'), count(journal.unshipped, journal.unshippedSince)],
          [t('system.admits'), journal.admitsWithoutEntry.toLocaleString('en-US')],
        ]}
      />
    </Stack>
  )
}
