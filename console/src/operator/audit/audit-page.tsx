import '../operator.css'
import { Box, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DataTableColumn } from 'mantine-datatable'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AuditRow } from '../../../../src/console-api/contract.ts'
import { useActionText } from '../../codes/use-action-text.ts'
import { useFieldText } from '../../codes/use-field-text.ts'
import { useOriginText } from '../../codes/use-origin-text.ts'
import { formatList } from '../../format/lists.ts'
import { formatMoment, formatRecent } from '../../format/times.ts'
import { IconHistory } from '../../icons/icons.ts'
import { SidePanel } from '../../parts/dialogs/side-panel.tsx'
import { EmptyState } from '../../parts/lists/empty-state.tsx'
import { ListTable } from '../../parts/lists/list-table.tsx'
import { fromLarge, fromSmall } from '../../parts/lists/media.ts'
import { PageHeader } from '../../parts/page/page-header.tsx'
import { type AuditFilter, auditQuery } from '../operator-queries.ts'
import { Facts } from '../parts/facts.tsx'
import { RowName } from '../parts/row-name.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { ChangeTable } from './change-table.tsx'
import { changedFields } from './changed-fields.ts'

export function AuditPage() {
  const { t } = useTranslation()
  const actionText = useActionText()
  const [filter, setFilter] = useState<AuditFilter>({})
  const [opened, setOpened] = useState<AuditRow>()
  const [isOpen, setOpen] = useState(false)
  const audit = useInfiniteQuery(auditQuery(filter))
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const open = (row: AuditRow) => {
    setOpened(row)
    setOpen(true)
  }
  return (
    <>
      <PageHeader title={t('audit.title')} text={t('audit.about')} />
      <AuditFilters value={filter} onChange={setFilter} />
      <ListTable
        rows={audit.data?.pages.flatMap((page) => page.rows)}
        columns={useColumns(open)}
        idOf={(row) => String(row.seq)}
        onOpen={open}
        query={audit}
        empty={
          <EmptyState
            icon={<IconHistory />}
            title={t('audit.emptyTitle')}
            text={isFiltered ? t('audit.noneText') : t('audit.emptyText')}
          />
        }
      />
      <SidePanel
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={opened && actionText(opened.action)}
        size={720}
      >
        {opened && <AuditDetail row={opened} />}
      </SidePanel>
    </>
  )
}

function useColumns(onOpen: (row: AuditRow) => void): DataTableColumn<AuditRow>[] {
  const { t, i18n } = useTranslation()
  const actionText = useActionText()
  const fieldText = useFieldText()
  const originText = useOriginText()
  const subjectText = useSubjectText()
  return [
    {
      accessor: 'at',
      title: t('audit.time'),
      noWrap: true,
      render: (row) => (
        <RowName
          name={formatRecent(row.at, i18n.language)}
          label={t('audit.open', {
            time: formatRecent(row.at, i18n.language),
            action: actionText(row.action),
            subject: subjectText(row),
          })}
          onOpen={() => onOpen(row)}
        />
      ),
    },
    {
      accessor: 'actor',
      title: t('audit.who'),
      visibleMediaQuery: fromSmall,
      render: (row) => (
        <Text size="sm" miw={150} style={{ overflowWrap: 'anywhere' }}>
          {row.actorName ?? originText(row.actor)}
        </Text>
      ),
    },
    {
      accessor: 'action',
      title: t('audit.what'),
      render: (row) => (
        <Box miw={150} style={{ overflowWrap: 'anywhere' }}>
          <Text size="sm" title={row.action}>
            {actionText(row.action)}
          </Text>
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {subjectText(row)}
          </Text>
        </Box>
      ),
    },
    {
      accessor: 'subject',
      title: t('audit.subject'),
      visibleMediaQuery: fromSmall,
      render: (row) => (
        <Text size="sm" miw={190} style={{ overflowWrap: 'anywhere' }}>
          {subjectText(row)}
        </Text>
      ),
    },
    {
      accessor: 'fields',
      title: t('audit.changed'),
      visibleMediaQuery: fromLarge,
      render: (row) => (
        <Text size="sm" c="dimmed" lineClamp={1} maw={360}>
          {formatList(
            changedFields(row.before, row.after).map(({ path }) => fieldText(path)),
            i18n.language,
          ) || '—'}
        </Text>
      ),
    },
  ]
}

/** The target of a change, by name if it has one. */
function useSubjectText(): (row: AuditRow) => string {
  const { t } = useTranslation()
  return ({ action, subject, subjectName }) => {
    if (action === 'setup.closed') return t('audit.kind.setup')
    if (action.startsWith('user.sign-in-') && subject === 'unknown') return t('audit.unknownLogin')
    return subjectName ?? subject
  }
}

function AuditDetail({ row }: { row: AuditRow }) {
  const { t, i18n } = useTranslation()
  const originText = useOriginText()
  const subjectText = useSubjectText()
  return (
    <Stack>
      <Facts
        facts={[
          [t('audit.time'), formatMoment(row.at, i18n.language)],
          [
            t('audit.who'),
            row.actorName === null ? originText(row.actor) : `${row.actorName} (${row.actor})`,
          ],
          [
            t('audit.subject'),
            row.subjectName === null || row.subjectName === row.subject
              ? subjectText(row)
              : `${row.subjectName} (${row.subject})`,
          ],
          [t('audit.code'), row.action],
        ]}
      />
      <ChangeTable row={row} />
    </Stack>
  )
}
