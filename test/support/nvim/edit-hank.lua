-- Drives a real Neovim without a screen: opens a hank, breaks it without saving, and prints what the language server says.
local command = vim.split(vim.env.WEAVE_COMMAND, ' ')
local said = {}
local function say(key, value) said[key] = value end

vim.cmd('edit ' .. vim.env.WEAVE_HANK)
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({
  name = 'weave',
  cmd = vim.list_extend(command, { 'lsp', '--stdio' }),
  root_dir = vim.fn.getcwd(),
})
vim.lsp.buf_attach_client(buffer, client)
vim.wait(20000, function() return vim.lsp.get_client_by_id(client).initialized end, 20)

local function diagnostics() return vim.diagnostic.get(buffer) end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000)
  for _, answer in pairs(answers or {}) do return answer.result end
end
local function at(line, column)
  return { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = line, character = column } }
end
local function find(piece)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local column = string.find(line, piece, 1, true)
    if column then return number - 1, column - 1, line end
  end
end

local line, column, text = find('"continuationMode"')
vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, { (string.gsub(text, 'continuationMode', 'continuationMod')) })
vim.wait(20000, function() return #diagnostics() >= 2 end, 20)
say('broken', vim.tbl_map(function(one) return { code = one.code, lnum = one.lnum, col = one.col } end, diagnostics()))

local params = at(line, column)
params.range = { start = params.position, ['end'] = { line = line, character = column + 3 } }
params.context = { diagnostics = {} }
for _, action in ipairs(ask('textDocument/codeAction', params) or {}) do
  if action.kind == 'quickfix' then vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16') end
end
vim.wait(20000, function() return #diagnostics() == 0 end, 20)
say('mended', #diagnostics())
say('line', (vim.api.nvim_buf_get_lines(buffer, line, line + 1, false))[1])

local promptLine, promptColumn = find('"promptFile"')
local definition = ask('textDocument/definition', at(promptLine, promptColumn + 16))
say('definition', definition and definition[1] and definition[1].uri)
local hover = ask('textDocument/hover', at(promptLine, promptColumn + 16))
say('hover', hover and hover.contents.value)

vim.lsp.stop_client(client)
io.stdout:write(vim.fn.json_encode(said) .. '\n')
vim.cmd('qa!')
