//! What frames travel on: memory, or a network card.
