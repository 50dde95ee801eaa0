import '../operator.css'
import { Button, Tabs } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconPlus } from '../../icons/icons.ts'
import { PageHeader } from '../../parts/page/page-header.tsx'
import { RoutesView } from './routes-view.tsx'
import { UpstreamPanel } from './upstream-panel.tsx'
import { UpstreamsTable } from './upstreams-table.tsx'

export function UpstreamsPage() {
  const { t } = useTranslation()
  const search = useSearch({ from: '/shell/operate/upstreams' })
  const navigate = useNavigate({ from: '/operate/upstreams' })
  const [isNew, setNew] = useState(false)
  const open = (upstream: string) => {
    setNew(false)
    void navigate({ search: (old) => ({ ...old, upstream }) })
  }
  const close = () => {
    setNew(false)
    void navigate({ search: ({ upstream: _closed, ...rest }) => rest })
  }
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setNew(true)}>
      {t('upstreams.new')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('upstreams.title')} text={t('upstreams.about')}>
        {create}
      </PageHeader>
      <Tabs
        value={search.view ?? 'list'}
        onChange={(view) =>
          void navigate({ search: view === 'routes' ? { view: 'routes' } : {}, replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="list">{t('upstreams.title')}</Tabs.Tab>
          <Tabs.Tab value="routes">{t('routes.title')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="list">
          <UpstreamsTable onOpen={open} create={create} />
        </Tabs.Panel>
        <Tabs.Panel value="routes">
          <RoutesView
            group={search.group}
            model={search.model}
            onChoose={({ group, model }) =>
              void navigate({
                search: {
                  view: 'routes',
                  ...(group !== undefined && { group }),
                  ...(model !== undefined && { model }),
                },
              })
            }
          />
        </Tabs.Panel>
      </Tabs>
      <UpstreamPanel upstream={search.upstream} isNew={isNew} onOpen={open} onClose={close} />
    </>
  )
}
