import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import 'mantine-datatable/styles.css'
import './console.css'
import './i18n/start-i18n.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

const element = document.getElementById('root')
if (!element) throw new Error('The page has no #root.')
createRoot(element).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
