import { type Middleware, withData } from '../middleware.ts'

/** Shows how a middleware changes a request. It is not installed. */
export const doubleMaxTokens: Middleware = {
  onRequest(request) {
    const data = request.messagesRequestData
    if (!data) return request
    return withData(request, { ...data, max_tokens: 2 * data.max_tokens })
  },
}
