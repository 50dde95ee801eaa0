import '../operator.css'
import { Badge, SimpleGrid, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SystemAnswer } from '../../../../src/console-api/contract.ts'
import { formatMoment } from '../../format/times.ts'
import { PageHeader } from '../../parts/page/page-header.tsx'
import { Section } from '../../parts/page/section.tsx'
import { systemQuery } from '../operator-queries.ts'
import { formatAge } from '../parts/ages.ts'
import { DetailLoader } from '../parts/detail-loader.tsx'
import { Facts } from '../parts/facts.tsx'
import { AuditState } from './audit-state.tsx'
import { FailingSecrets } from './failing-secrets.tsx'
import { MoneyFacts } from './money-facts.tsx'
import { ProxyState } from './proxy-state.tsx'
import { ReplicaTable } from './replica-table.tsx'
import { SettingsTable } from './settings-table.tsx'

export function SystemPage() {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader title={t('system.title')} text={t('system.about')}>
        <Badge variant="dot" color="teal">
          {t('usage.live')}
        </Badge>
      </PageHeader>
      <DetailLoader query={systemQuery}>
        {(system) => (
          <Stack gap="xl">
            <FailingSecrets system={system} />
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
              <Section title={t('system.process')}>
                <ProcessFacts system={system} />
              </Section>
              <Section title={t('system.proxy')}>
                <ProxyState proxy={system.proxy} />
              </Section>
            </SimpleGrid>
            <Section title={t('system.replicas')} text={t('system.replicasText')}>
              <ReplicaTable system={system} />
            </Section>
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
              <Section title={t('system.selfAudit')}>
                <AuditState system={system} />
              </Section>
              <Section title={t('system.money')}>
                <MoneyFacts system={system} />
              </Section>
            </SimpleGrid>
            <Section title={t('system.settings')} text={t('system.settingsText')}>
              <SettingsTable settings={system.settings} />
            </Section>
          </Stack>
        )}
      </DetailLoader>
    </>
  )
}

const megabyte = 1024 * 1024

function ProcessFacts({ system }: { system: SystemAnswer }) {
  const { t, i18n } = useTranslation()
  const { database } = system
  return (
    <Facts
      facts={[
        [t('system.version'), system.version],
        [t('system.runtime'), system.runtime],
        [
          t('system.started'),
          `${formatMoment(system.startedAt, i18n.language)} · ${formatAge(system.startedAt, system.now, i18n.language)}`,
        ],
        [
          t('system.memory'),
          `${Math.round(system.memoryBytes / megabyte).toLocaleString('en-US')} MB`,
        ],
        [t('system.database'), database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
        [t('system.migration'), database.migrations.at(-1) ?? null],
        [
          t('system.logSince'),
          system.logSince === null ? null : formatMoment(system.logSince, i18n.language),
        ],
        [
          t('system.lastBackup'),
          system.lastBackupAt === null
            ? t('system.noBackup')
            : `${formatMoment(system.lastBackupAt, i18n.language)} · ${formatAge(system.lastBackupAt, system.now, i18n.language)}`,
        ],
      ]}
    />
  )
}
