/** The console: a page in the browser that calls the operator API and stores no data. */
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { accessQuery } from './access.ts'
import { ApiRefusal } from './api.ts'
import { App } from './app.tsx'

const retries_max = 2

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error) {
      if (!(error instanceof ApiRefusal) || error.status !== 401) return
      void client.invalidateQueries({ queryKey: accessQuery.queryKey })
    },
  }),
  defaultOptions: {
    queries: {
      // A refusal by the API is final; only unreachable services are retried.
      retry: (failures, error) =>
        failures < retries_max && (!(error instanceof ApiRefusal) || error.status === 0),
      staleTime: 1_000,
    },
  },
})

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root element for the console')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
